import type { LeftOut, TwinText } from '@syncloop/observe/twin';
import { useT } from '../../i18n/index.js';
import { leftOutSummary } from './logic/left-out.js';

/** Pods and facts of the observed run that the twin does not have, each with its reason; nothing where it has all. */
export function LeftOutOfTwin({
  left,
  text,
}: {
  readonly left: readonly LeftOut[];
  readonly text: (text: TwinText) => string;
}) {
  const t = useT();
  const summary = leftOutSummary(left);
  if (!summary) return null;
  return (
    <details className="sl-twin-fold" data-testid="twin-left-out">
      <summary>{t(summary.key, summary.values)}</summary>
      <ul>
        {left.map(({ pod, why }) => (
          <li key={`${pod} ${why.en}`}>
            {pod !== '' && <span className="sl-code">{pod}: </span>}
            {text(why)}
          </li>
        ))}
      </ul>
    </details>
  );
}
