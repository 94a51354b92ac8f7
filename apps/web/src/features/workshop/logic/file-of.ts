/** The name that the code of a stage has in messages, in records and for breakpoints. */
export const fileOf = (stage: string): string => `${stage}.ts`;
