import type { Program } from './find.js';
import { filePrograms } from './programs-files.js';
import { networkPrograms } from './programs-net.js';
import { processPrograms } from './programs-process.js';
import { serverPrograms } from './programs-servers.js';
import { textPrograms } from './programs-text.js';

let table: Readonly<Record<string, Program>> | null = null;
let tools: ReadonlySet<string> | null = null;

/** A program by name, if the simulation knows it. Which of them an image has is the image's matter. */
export function programNamed(name: string): Program | undefined {
  // Made on first use: these modules need each other.
  table ??= Object.assign(
    Object.create(null) as Record<string, Program>,
    filePrograms,
    textPrograms,
    processPrograms,
    networkPrograms,
    serverPrograms,
  );
  return (table as Readonly<Record<string, Program>>)[name];
}

/** The names of the programs that an image with busybox in it has. */
export function busyboxPrograms(): ReadonlySet<string> {
  tools ??= new Set(
    [filePrograms, textPrograms, processPrograms, networkPrograms]
      .flatMap((t) => Object.keys(t))
      .filter((n) => n !== 'bash' && n !== 'curl'),
  );
  return tools;
}
