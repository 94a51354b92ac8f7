import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../content/stages/', import.meta.url));

/** A wrong solution, and the level and case at which it must fail. */
export interface WrongSolution {
  readonly name: string;
  readonly text: string;
  readonly level: string;
  readonly case: string;
}

/** The folder of a stage. */
const stageFolder = (stage: { readonly number: number; readonly name: string }): string =>
  `${folder}${String(stage.number).padStart(2, '0')}-${stage.name}/`;

/**
 * A third line `// with: 01-pleg/wrong/dies-twice.ts` in a stage that is made of others: the rest is the references of
 * all, but of that stage the file.
 */
function withReferences(text: string, folder: string): string {
  const file = /^\/\/ with: (\S+)\n/m.exec(text)?.[1];
  if (file === undefined) return text;
  const [own] = file.split('/');
  const isMember = (name: string) => /^\d\d-/.test(name) && name !== own && existsSync(`${folder}${name}/reference.ts`);
  const others = readdirSync(folder).filter((name) => isMember(name) && !name.endsWith('dispatch-work'));
  return [
    text,
    ...others.map((name) => readFileSync(`${folder}${name}/reference.ts`, 'utf8')),
    readFileSync(folder + file, 'utf8'),
  ].join('\n');
}

/** Reads the wrong solutions of a stage; their second line says `// fails: LEVEL CASE`. */
export function wrongSolutions(stage: { readonly number: number; readonly name: string }): WrongSolution[] {
  const dir = `${stageFolder(stage)}wrong/`;
  return readdirSync(dir)
    .sort()
    .map((file) => {
      const text = withReferences(readFileSync(dir + file, 'utf8'), folder);
      const [, level, name] = /^\/\/ .+\n\/\/ fails: (\w+) ([\w-]+)\n/.exec(text) ?? [];
      if (level === undefined || name === undefined)
        throw new Error(`${dir}${file}: the first line says what is wrong, the second one "// fails: LEVEL CASE"`);
      return { name: file, text, level, case: name };
    });
}
