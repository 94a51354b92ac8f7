import type { FindingsAnswer, RunFinding } from '@syncloop/core/debug';
import type { Seq } from '@syncloop/core/trace';

/** Returns the findings with the text anywhere: in their sentences, in a pod's or container's name. */
export function matching(answer: FindingsAnswer, filter: string, lang: 'en' | 'zh'): readonly RunFinding[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === '') return answer.findings;
  return answer.findings.filter((f) =>
    `${f.text[lang]} ${f.pod} ${f.container} ${f.code} ${f.what}`.toLowerCase().includes(wanted),
  );
}

/** All moments of a finding that are known, the first one too, which may be older than the rest. */
export function momentsOf({ first, moments }: RunFinding): readonly Seq[] {
  return moments[0] === first.seq ? moments : [first.seq, ...moments];
}

/** Returns the weight of a finding, for its sign and colour: a failure, a warning, or a note. */
export function weightOf(code: RunFinding['code']): 'bad' | 'warn' | 'note' {
  switch (code) {
    case 'panic':
    case 'oom':
    case 'eviction':
    case 'crash':
    case 'image':
    case 'sync-failed':
    case 'volume':
    case 'not-ready':
    case 'gate-closed':
      return 'bad';
    case 'killed':
    case 'died':
    case 'error-line':
    case 'gap':
    case 'api-failed':
      return 'note';
    default:
      return 'warn';
  }
}
