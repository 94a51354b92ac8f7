/** Gets the audience's token in exchange for the code that a presenter shows. */
import { CLASS_EVENT, CLASS_NAMESPACE, CODE_LENGTH, type ToFollower } from '@syncloop/core/classroom';
import { io } from 'socket.io-client';

/** Returns the code in what somebody typed: capitals, without blanks and dashes. */
export const codeFrom = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
    .slice(0, CODE_LENGTH);

/** The code as it is read out: in two halves. */
export const codeText = (code: string): string => `${code.slice(0, CODE_LENGTH / 2)} ${code.slice(CODE_LENGTH / 2)}`;

/** Why a code was not exchanged. `status`: the server's, 0 if there was no answer. */
export class JoinError extends Error {
  constructor(
    readonly status: number,
    reason = '',
  ) {
    super(reason);
  }
}

/** Resolves with the token. Rejects with a JoinError. */
export function exchange(code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = io(CLASS_NAMESPACE, {
      auth: { code },
      forceNew: true,
      reconnection: false,
      transports: ['websocket'],
    });
    socket.on(CLASS_EVENT, (message: ToFollower) => {
      if (message.type === 'token') resolve(message.token);
    });
    socket.on('connect_error', (error: Error & { data?: { status?: number } }) => {
      reject(new JoinError(error.data?.status ?? 0, error.message));
      socket.disconnect();
    });
    // The server closes it after the token.
    socket.on('disconnect', () => reject(new JoinError(0)));
  });
}
