import { readdirSync, readFileSync } from 'node:fs';
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
export const stageFolder = (stage: { readonly number: number; readonly name: string }): string =>
  `${folder}${String(stage.number).padStart(2, '0')}-${stage.name}/`;

/** Reads the wrong solutions of a stage; their second line says `// fails: LEVEL CASE`. */
export function wrongSolutions(stage: { readonly number: number; readonly name: string }): WrongSolution[] {
  const dir = `${stageFolder(stage)}wrong/`;
  return readdirSync(dir)
    .sort()
    .map((file) => {
      const text = readFileSync(dir + file, 'utf8');
      const [, level, name] = /^\/\/ .+\n\/\/ fails: (\w+) ([\w-]+)\n/.exec(text) ?? [];
      if (level === undefined || name === undefined)
        throw new Error(`${dir}${file}: the first line says what is wrong, the second one "// fails: LEVEL CASE"`);
      return { name: file, text, level, case: name };
    });
}
