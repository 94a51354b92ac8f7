/** The learner's code of the run in view: a scenario has it in its text. */
import { useEffect, useState } from 'react';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

export interface PartCode {
  readonly file: string;
  readonly source: string;
}

/** The code of the run in view; null before it is known, empty if it has none. */
export function usePartCode(): readonly PartCode[] | null {
  const info = useSession((s) => s.info);
  const branch = useSession((s) => s.run.branch);
  const [found, setFound] = useState<readonly PartCode[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run, or branch of it, may have other code
  useEffect(() => {
    let wanted = true;
    const { rewind, choose } = info?.capabilities ?? {};
    const ask = rewind && choose ? session.command({ do: 'spec' }).then(({ text }) => codeIn(text)) : codeIn(undefined);
    ask.then(
      (code) => wanted && setFound(code),
      () => wanted && setFound([]),
    );
    return () => {
      wanted = false;
    };
  }, [info, branch]);
  return found;
}

async function codeIn(text: string | undefined): Promise<readonly PartCode[]> {
  if (!text?.includes('parts')) return [];
  const { parseScenario } = await import('@syncloop/core/scenario');
  // One file may stand for several parts.
  return [...new Map(Object.values(parseScenario(text).parts ?? {}).map((code) => [code.file, code])).values()];
}
