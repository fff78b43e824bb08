/** The names of the files of an import in the spool, beside its report, which has the job's id. */

const SUFFIX = '.rejected';

/** The name of the file with the rejected rows of a job. */
export function rejectedFileId(job: string): string {
  return `${job}${SUFFIX}`;
}

/** The id of the job whose report or rejected rows a file has. */
export function jobOfFile(file: string): string {
  return file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : file;
}
