/**
 * Repeats reads that a change of permissions has interrupted: their response is a 503 that requests
 * a repetition. Any other 503 is the final response.
 */

const MOST_TIMES = 5;

function isOvertaken(status: number, body: unknown): boolean {
  if (status !== 503) return false;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.includes('"service":"rights"');
}

/**
 * The response to a read, which is repeated while permissions change.
 * @param bodyOf its body, as text or parsed
 */
export async function sendAgain<T extends { readonly status: number }>(
  send: () => Promise<T>,
  bodyOf: (answer: T) => unknown,
): Promise<T> {
  let answer = await send();
  for (let times = 1; times < MOST_TIMES; times += 1) {
    if (!isOvertaken(answer.status, bodyOf(answer))) break;
    answer = await send();
  }
  return answer;
}
