/** The error of a rejected write. */

/** The first error that the work ends with; null when it succeeds. */
export async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (found: unknown) => found,
  );
  return error !== null &&
    typeof error === 'object' &&
    'errors' in error &&
    Array.isArray(error.errors)
    ? error.errors[0]
    : error;
}
