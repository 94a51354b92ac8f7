/** Runs a line of the console. Loaded with the console only. */
import { ConsoleError, parseConsole } from '@syncloop/core/kubectl';
import { useUI } from '../../page/ui-store.js';
import { appendPart, beginEntry, clearEntries, endEntry, rememberInput, useConsole } from './console-store.js';
import { type Io, say } from './context.js';
import { apply, deletePods, edit, listFiles, printFile, removeFile } from './run-change.js';
import { crictl, describe, get } from './run-get.js';
import { crictlLogs, exec, logs } from './run-logs.js';
import { explainField, go, help, runOrPause, step, why } from './run-own.js';
import { loadSchema } from './schema.js';

let abort: AbortController | null = null;

/** Stops the command that runs. */
export function cancel(): void {
  abort?.abort();
}

/** Runs a line; its output goes into the console's store. Never rejects. */
export async function runLine(input: string): Promise<void> {
  const text = input.trim();
  if (text === '') return;
  cancel();
  rememberInput(text);
  if (/^clear\s*$/.test(text)) {
    clearEntries();
    return;
  }
  const id = beginEntry(text);
  const controller = new AbortController();
  abort = controller;
  const io: Io = {
    out: (t) => appendPart(id, 'out', t),
    err: (t) => appendPart(id, 'err', t),
    note: (key, params) => appendPart(id, 'note', say(key, params)),
    signal: controller.signal,
  };
  try {
    await perform(io, text);
  } catch (error) {
    io.err(`error: ${textOf(error)}`);
  }
  if (controller.signal.aborted && useConsole.getState().running === id) io.err('^C');
  endEntry(id);
  if (abort === controller) abort = null;
}

function textOf(error: unknown): string {
  if (error instanceof ConsoleError) return useUI.getState().lang === 'en' ? error.message : error.zh;
  return error instanceof Error ? error.message : String(error);
}

async function perform(io: Io, text: string): Promise<void> {
  const c = parseConsole(text);
  switch (c.do) {
    case 'nothing':
      return;
    case 'get':
      return get(io, c);
    case 'describe':
      return describe(io, c);
    case 'logs':
      return logs(io, c);
    case 'exec':
      return exec(io, c);
    case 'apply':
      return apply(io, c);
    case 'delete':
      return deletePods(io, c);
    case 'edit':
      return edit(io, c);
    case 'explain':
      return explainField(io, c, await loadSchema());
    case 'crictl':
      if (c.what === 'logs') return crictlLogs(io, c);
      return crictl(io, c);
    case 'step':
      return step(io, c);
    case 'go':
      return go(io, c);
    case 'continue':
    case 'pause':
      return runOrPause(io, c.do);
    case 'why':
    case 'break':
      return why(io, c);
    case 'ls':
      return listFiles(io);
    case 'cat':
      return printFile(io, c.file);
    case 'rm':
      return removeFile(io, c.file);
    case 'help':
      return help(io, c.topic);
    case 'clear':
      return clearEntries();
  }
}
