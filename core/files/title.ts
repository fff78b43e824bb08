/** Derives titles from filenames. */

/**
 * `holiday_photo-2.final.JPG` becomes `Holiday Photo 2.final`; a filename without words stays
 * unchanged.
 */
export function titleOf(filename: string): string {
  const bare = filename.replace(/(?<=.)\.[^.]*$/u, '');
  const words = bare.split(/[_\s-]+/u).filter((word) => word !== '');
  const title = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
  return title === '' ? filename : title;
}
