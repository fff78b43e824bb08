/** Files in forms. */
export const file = {
  dropOne: 'Drop a file here',
  dropMany: 'Drop files here',
  choose: 'Choose from this device',
  library: 'Choose from the library',
  uploading: 'Uploading %{name}',
  percent: '%{percent} %',
  goOn: 'Go on',
  giveUp: 'Give up %{name}',
  download: 'Download',
  details: 'Details',
  replace: 'Replace content',
  replaced: 'The file has its new content',
  takeOut: 'Take out',
  none: 'No file',
  focalPoint: 'Focal point at %{x}, %{y}. Move it with the arrow keys.',
};
