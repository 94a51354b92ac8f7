import { fileURLToPath } from 'node:url';

/** The path of a file or folder of the repository. */
const inRepository = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Recordings and other data of core's tests. */
export const testdata = (folder: string) => inRepository(`packages/core/testdata/${folder}/`);
/** The document with the table of what the observer concludes. */
export const attachDocument = inRepository('docs/users/attach.md');
/** The program itself, as users start it. */
export const program = inRepository('apps/agent/bin/syncloop.mjs');
