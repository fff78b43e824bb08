/** Hands a file to the person, as a download. */

/** A name that every system takes for a file. */
function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim() || 'panel';
}

export function saveFile(blob: Blob, title: string, extension: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${fileName(title)}.${extension}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
