/** Prints the links to a page, and prints others whenever somebody presses Enter in the terminal. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { type RunningPage, writeRunning } from './running.js';

export interface OfferOptions extends Omit<RunningPage, 'pid'> {
  /** Prints new links. */
  readonly print: () => void;
  /** Default: standard input, if that is a terminal. */
  readonly terminal?: Terminal | null;
  /** For tests: whether the terminal's keys are for this process. */
  readonly inForeground?: () => boolean;
  /** For tests: where the file for `syncloop url` is. */
  readonly directory?: string;
}

type Terminal = Pick<ReadStream, 'on' | 'off' | 'resume' | 'pause'> & { unref?(): unknown };

/** Prints now and at each Enter, and notes the page for `syncloop url`. Returns a function that ends that. */
export function offerLinks(options: OfferOptions): () => void {
  const { print, terminal = ownTerminal(), inForeground = ownsTerminal, directory, ...served } = options;
  // This comes first, so that a reader of the link finds its page.
  const forget = writeRunning({ pid: process.pid, ...served }, directory);
  print();
  const deaf = terminal ? onEnter(terminal, inForeground, print) : () => {};
  return () => {
    deaf();
    forget();
  };
}

const ownTerminal = (): ReadStream | null => (process.stdin.isTTY ? process.stdin : null);

/** Calls `then` for each line. A program in the background that reads its terminal would be stopped: it does not. */
function onEnter(terminal: Terminal, inForeground: () => boolean, then: () => void): () => void {
  const take = () => then();
  const look = () => {
    if (inForeground()) terminal.resume();
    else terminal.pause();
    terminal.unref?.();
  };
  // The terminal may go away before the page does.
  const ignore = () => {};
  terminal.on('error', ignore);
  terminal.on('data', take);
  look();
  // After Ctrl-Z the shell lets it go on in the foreground or in the background.
  process.on('SIGCONT', look);
  return () => {
    process.off('SIGCONT', look);
    terminal.off('data', take);
    terminal.pause();
    // `ignore` stays: an error may still come.
  };
}

/** True if the terminal's keys are for this process. */
function ownsTerminal(): boolean {
  try {
    // pid (comm) state ppid pgrp session tty_nr tpgid: the name may contain anything, even parentheses.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    // No Linux: ps marks the foreground with a plus.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return stdout?.includes('+') ?? false;
  }
}
