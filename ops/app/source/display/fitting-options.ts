/** Which options an input that searches on the server offers, so that Enter takes none of an earlier text. */

/**
 * @param typed what is typed; null for nothing
 * @param isAnswered whether the options answer what is typed; else only those whose name has it are offered
 */
export function fittingOptions<Option>(
  options: readonly Option[],
  nameOf: (option: Option) => string,
  typed: string | null,
  isAnswered: boolean,
): Option[] {
  const text = (typed ?? '').trim().toLowerCase();
  if (isAnswered || text === '') return [...options];
  return options.filter((option) => nameOf(option).toLowerCase().includes(text));
}
