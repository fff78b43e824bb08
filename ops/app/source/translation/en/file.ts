/** Files in forms. */
export const file = {
  dropOne: 'Drop a file here',
  dropMany: 'Drop files here',
  choose: 'Choose from this device',
  library: 'Choose from the library',
  uploading: 'Uploading %{name}',
  percent: '%{percent} %',
  goOn: 'Resume',
  giveUp: 'Cancel %{name}',
  download: 'Download',
  details: 'Details',
  replace: 'Replace content',
  replaced: 'Content replaced',
  takeOut: 'Remove',
  none: 'No file',
  moreUploads: '%{smart_count} more file |||| %{smart_count} more files',
  focalPoint: 'Focal point at %{x}, %{y}. Move it with the arrow keys.',
};
