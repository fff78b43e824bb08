/**
 * Reads that meet rights which were changed just before: they are answered 503 and ask to be sent again.
 * Any other 503 is the answer.
 */

const MOST_TIMES = 5;

/** An answer with its body, as text or parsed. */
interface Answered {
  readonly status: number;
  readonly body: unknown;
}

function isOvertaken({ status, body }: Answered): boolean {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return status === 503 && text.includes('"service":"rights"');
}

/** The answer to a read, which is sent again as long as rights change meanwhile. */
export async function sendAgain<T extends Answered>(send: () => Promise<T>): Promise<T> {
  let answer = await send();
  for (let times = 1; isOvertaken(answer) && times < MOST_TIMES; times += 1) answer = await send();
  return answer;
}
