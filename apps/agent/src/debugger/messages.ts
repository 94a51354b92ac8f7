/** The messages between the kubelet and its debugger's process. The kubelet does not trust that process. */
import { type Command, type CommandResult, parseCommand, type SessionInfo } from '@syncloop/core/debug/control';
import { custom, read, type Shape, tagged, whole } from '@syncloop/core/shape';
import type { UsedCode } from '../links/link-code.js';
import { usedCodeShape } from '../links/used-code-store.js';

/** The session that the debugger's process serves. */
export interface ServeRequest {
  readonly info: SessionInfo;
  readonly host: string;
  /** See SessionHostOptions. */
  readonly address?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** The advice about a taken port, for the error's message. */
  readonly remedy: string;
  readonly webRoot: string;
  /** True if `token` permits more than watching. */
  readonly control: boolean;
  readonly token: string;
  /** The token of a read-only page. */
  readonly observer: string;
  /** See SessionHostOptions. */
  readonly forwarded?: boolean;
  /** Codes of links that were used in an earlier life of the process. */
  readonly usedCodes?: readonly UsedCode[];
  /** The number of records that are kept for pages that come late. */
  readonly capacity: number;
}

export interface ResultMessage {
  readonly id: number;
  readonly result: CommandResult;
}

/** The messages from the debugger's process. */
export type FromDebugger =
  | { readonly type: 'listening'; readonly port: number }
  /** It cannot serve, and ends; `error` has the remedy. */
  | { readonly type: 'failed'; readonly error: string }
  /** Sent each second, and on each change: the process is well, and `controllers` clients may do more than look. */
  | { readonly type: 'alive'; readonly controllers: number }
  /** A link was used, and must not be good again in another life. */
  | { readonly type: 'linkUsed'; readonly used: UsedCode }
  | { readonly type: 'command'; readonly id: number; readonly command: Command };

/** Longest frame from the debugger's process, in bytes: a command is at most as long as a message of a client. */
export const maxFrameFromDebugger = 128 * 1024;
/** Longest frame to it: the state of a node with very many pods. */
export const maxFrameToDebugger = 256 * 1024 * 1024;

const count = whole(0);
const message: Shape<FromDebugger> = tagged(
  'type',
  {
    listening: { port: count },
    failed: { error: custom({}, (r) => String(r.value).slice(0, 2000)) },
    alive: { controllers: count },
    linkUsed: { used: usedCodeShape },
    command: { id: count, command: custom({}, (r) => parseCommand(r.value)) },
  },
  'drop',
);

/** Reads a message of the debugger's process. Throws an Error for anything else. */
export const parseFromDebugger = (body: string): FromDebugger =>
  read(message, JSON.parse(body), "a message of the debugger's process");
