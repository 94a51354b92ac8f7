import type { LeftOut, TwinText } from '@syncloop/core/twin';
import { useT } from '../../i18n/index.js';

/** Pods that the summary names; the list below it has all. */
const NAMED = 5;

/** Pods and facts of the observed run that the twin does not have, each with its reason; nothing where it has all. */
export function LeftOutOfTwin({
  left,
  text,
}: {
  readonly left: readonly LeftOut[];
  readonly text: (text: TwinText) => string;
}) {
  const t = useT();
  if (left.length === 0) return null;
  const pods = [...new Set(left.map(({ pod }) => pod).filter((pod) => pod !== ''))];
  const names = pods.slice(0, NAMED).join(', ') + (pods.length > NAMED ? ', …' : '');
  const summary =
    pods.length === 0
      ? t('twin.leftOutPart')
      : t(pods.length === 1 ? 'twin.leftOutOne' : 'twin.leftOut', { n: pods.length, names });
  return (
    <details className="sl-twin-fold" data-testid="twin-left-out">
      <summary>{summary}</summary>
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
