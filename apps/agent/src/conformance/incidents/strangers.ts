/** Verdicts on logs that strangers published, next to what these people found out. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { verdictStory } from '@syncloop/observe/verdict';
import { readSettings } from '../../base/read-file.js';
import { findEvidence } from '../../observe/evidence-files.js';
import { readVerdict } from '../../observe/read-verdict.js';

const MOST_ALSO = 4;

/** Prints verdict and share next to the ground truth of each folder. Resolves with how many could not be read. */
export async function tellStrangers(folders: readonly string[], print: (line: string) => void): Promise<number> {
  const levels = new Map<string, number>();
  let lines = 0;
  let read = 0;
  let failed = 0;
  for (const folder of folders) {
    const source = parts(await readSettings(join(folder, 'source.md')));
    print(`\n## ${basename(folder)}`);
    print(`   kind     ${source.kind ?? ''}`);
    print(`   truth    ${source['ground truth'] ?? ''}`);
    try {
      const names = await readdir(folder);
      const logs = names.filter((name) => /^log\.txt(\.gz)?$/.test(name)).map((name) => join(folder, name));
      const { files } = await findEvidence(logs);
      const story = verdictStory(await readVerdict(files, { by: '' }));
      const { level, text } = story.verdict;
      lines += story.lines;
      read += story.read;
      levels.set(level, (levels.get(level) ?? 0) + 1);
      print(
        `   read     ${story.read} of ${story.lines} lines${story.programs.map((p) => `; ${p.program} ${p.read} of ${p.lines}`).join('')}`,
      );
      print(
        `   kubelet  ${[story.kubelet.version, story.kubelet.node, story.kubelet.runtime].filter(Boolean).join(', ') || 'unknown'} (reported: ${source.version ?? ''})`,
      );
      print(`   verdict  [${level === 'wrong' ? 'incident' : level}] ${text.en}`);
      for (const one of story.incidents.slice(0, MOST_ALSO)) {
        print(`   - ${one.text.en}`);
        for (const c of one.consequences) print(`       > ${c.kind} x${c.count}: ${c.text.en}`);
      }
      if (story.incidents.length > MOST_ALSO) print(`   - and ${story.incidents.length - MOST_ALSO} more`);
      for (const one of story.expected) print(`   ~ ${one.text.en}`);
      for (const { what, count } of story.unknown.some) print(`   ? ${count} x ${what}`);
    } catch (err) {
      failed++;
      print(`   verdict  [error] ${(err as Error).message}`);
    }
  }
  const counts = [...levels].map(([level, n]) => `${n} ${level}`).join(', ');
  print(
    `\n${folders.length} logs: ${counts}${failed > 0 ? `, ${failed} not opened` : ''}; ${read} of ${lines} lines read`,
  );
  return failed;
}

/** The "name: value" lines of source.md; a value goes on until the next one. */
function parts(text: string): { readonly [name: string]: string } {
  const found: { [name: string]: string } = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^(source|version|framing|kind|ground truth|note): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) found[name] = value ?? '';
  }
  return found;
}
