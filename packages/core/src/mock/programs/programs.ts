import type { Program } from '../process/world.js';
import { databasePrograms } from './programs-databases.js';
import { filePrograms } from './programs-files.js';
import { interpreterPrograms } from './programs-interpreters.js';
import { networkPrograms } from './programs-net.js';
import { processPrograms } from './programs-process.js';
import { serverPrograms } from './programs-servers.js';
import { systemPrograms, trialPrograms } from './programs-system.js';
import { textPrograms } from './programs-text.js';
import { webPrograms } from './programs-web.js';

const table: Readonly<Record<string, Program>> = Object.assign(
  Object.create(null) as Record<string, Program>,
  filePrograms,
  textPrograms,
  processPrograms,
  networkPrograms,
  systemPrograms,
  serverPrograms,
  webPrograms,
  databasePrograms,
  interpreterPrograms,
  trialPrograms,
);
let tools: ReadonlySet<string> | null = null;

/** A program by name, if the simulation knows it. Which of them an image has is the image's matter. */
export const programNamed = (name: string): Program | undefined => table[name];

/** The names of the programs that an image with busybox in it has. */
export function busyboxPrograms(): ReadonlySet<string> {
  tools ??= new Set(
    [filePrograms, textPrograms, processPrograms, networkPrograms, systemPrograms]
      .flatMap((t) => Object.keys(t))
      .filter((n) => n !== 'bash' && n !== 'curl'),
  );
  return tools;
}

let withInterpreters: ReadonlySet<string> | null = null;

/** The names of the programs that an image is taken to have about which only its command is known. */
export function commandPrograms(): ReadonlySet<string> {
  withInterpreters ??= new Set([...busyboxPrograms(), 'bash', 'curl', ...Object.keys(interpreterPrograms)]);
  return withInterpreters;
}
