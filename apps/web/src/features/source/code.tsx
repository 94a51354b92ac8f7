import { useEffect, useRef } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { stepName } from '../graph/index.js';
import { CodeView } from './code-view.js';
import { breakLines } from './logic/source-breakpoints.js';
import type { Marked } from './logic/source-lines.js';
import type { SourceIndex } from './logic/source-types.js';

interface Props {
  readonly index: SourceIndex;
  readonly text: string;
  readonly marked: Marked;
  readonly fn: string;
}

/** A file of our sources, read-only, with the running part marked, and a gutter to set breakpoints in. */
export function Code({ index, text, marked, fn }: Props) {
  const t = useT();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView | null>(null);
  const specs = useBreakpoints((s) => s.specs);
  const can = useSession(() => isAvailable('breakpoint.toggleAt'));
  useEffect(() => {
    if (!host.current) return undefined;
    const made = new CodeView(host.current, (target) => runCommand('breakpoint.toggleAt', target));
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);
  const { file, body } = marked;
  const label = t('source.code', { fn, file, from: body.from, to: body.to });
  useEffect(() => {
    const breaks = can ? breakLines(index, file, specs) : [];
    const titled = breaks.map((b) => ({
      ...b,
      title: b.step ? t('source.stopAtStep', { name: stepName(t, b.name) }) : t('source.stopAt', { fn: b.name }),
    }));
    view.current?.show({ file, text, label, marked, breaks: titled });
  }, [index, file, text, label, marked, specs, can, t]);
  return (
    <div
      className="sl-code-view u-border-top"
      ref={host}
      lang="en"
      data-testid="source-code"
      data-line={marked.line?.from ?? 0}
    />
  );
}
