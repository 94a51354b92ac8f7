/** What a page says to its worker before anything else, to have a recording opened instead of a simulation. */
export interface OpenMessage {
  readonly type: 'open';
  readonly recording: Blob;
}

export function isOpenMessage(message: unknown): message is OpenMessage {
  const { type, recording } = (message ?? {}) as Partial<OpenMessage>;
  return type === 'open' && recording instanceof Blob;
}
