/** The beginning of a download, which may be too long for the page. */

/** The most bytes that the page reads; the file has the rest. */
const LENGTH = 2 * 1024 * 1024;

export async function textBeginning(
  answer: Response,
): Promise<{ readonly text: string; readonly complete: boolean }> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && text.length < LENGTH) {
    const { done, value } = await reader.read();
    if (done) return { text, complete: true };
    text += value;
  }
  await reader?.cancel();
  return { text, complete: reader === undefined };
}
