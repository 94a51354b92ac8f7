/** Returns the text of a scenario of the library, which is loaded with the first one. Rejects if there is none. */
export async function libraryText(name: string): Promise<string> {
  const { entries } = await import('@syncloop/core/scenario/library/gen');
  const entry = entries.find((one) => one.name === name);
  if (!entry) throw new Error(`there is no scenario ${name}`);
  return entry.text;
}
