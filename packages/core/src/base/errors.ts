/** The message of whatever was thrown: an Error's own, else the value as a text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
