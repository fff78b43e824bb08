/** Requests whose rights were changed just before: what is read meanwhile is answered 503, and sent again. */

const MOST_TIMES = 5;

/** The answer to a request, which is sent again as long as it is 503. */
export async function sendAgain<T extends { readonly status: number }>(
  send: () => Promise<T>,
): Promise<T> {
  let answer = await send();
  for (let times = 1; answer.status === 503 && times < MOST_TIMES; times += 1) {
    answer = await send();
  }
  return answer;
}
