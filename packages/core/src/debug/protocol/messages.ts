/**
 * Checks of what came over a connection: nothing of it is trusted. Each gives the message with only the fields known
 * here, or a ProtocolError that says which field is wrong and what it should be.
 */
import { literal, object, optional, read, rethrowing, type Shape, tagged, textOf, whole } from '../../shape/index.js';
import { type Command, commandOf } from './commands.js';
import type { ClientMessage } from './protocol.js';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const id = whole(0);
const clientMessage: Shape<ClientMessage> = tagged(
  'type',
  {
    hello: {
      protocol: whole(0, 1_000_000),
      session: optional(textOf(500, 0)),
      branch: optional(whole(1, 1_000_000)),
      resumeFrom: optional(whole(0)),
      page: optional(textOf(64, 1)),
    },
    ack: { seq: whole(0) },
    command: { id, command: commandOf },
  },
  'drop',
);
const commandMessage = object({ type: literal('command'), id }, 'drop');

export const parseClientMessage = (value: unknown): ClientMessage =>
  rethrowing(ProtocolError, () => read(clientMessage, value, 'message'));
export const parseCommand = (value: unknown): Command =>
  rethrowing(ProtocolError, () => read(commandOf, value, 'command'));

/** The id of a command message, for the refusal of a command that is otherwise wrong; null when there is none. */
export function commandIdOf(value: unknown): number | null {
  try {
    return read(commandMessage, value).id;
  } catch {
    return null;
  }
}
