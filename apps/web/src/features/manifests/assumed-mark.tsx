import { formatBytes } from '@syncloop/core/base';
import type { ImageBehaviour } from '@syncloop/core/scenario';
import { type Translate, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useAssumptions } from './assumptions.js';
import { secondsOf } from './logic/behaviours.js';
import './assumed.css';

/** A behaviour in a few words. */
export function behaviourWords(t: Translate, does: ImageBehaviour | null): string {
  switch (does?.kind) {
    case undefined:
      return t('assumed.missing');
    case 'serves':
      return t(does.status === undefined || does.status === 200 ? 'assumed.serves' : 'assumed.servesWith', {
        ports: does.ports.join(', '),
        status: String(does.status ?? 200),
      });
    case 'needs':
      return t('assumed.needs', { memory: formatBytes(does.memory) });
    case 'exits':
      return t('assumed.exits', { code: does.code, after: secondsOf(does.after) });
    default:
      return t(does?.kind === 'command' ? 'assumed.command' : 'assumed.runs');
  }
}

interface Props {
  readonly id: string;
  readonly wide: boolean;
  /** With the container's name, which stands nowhere else. */
  readonly named?: boolean;
}

/** The badge of a container whose behaviour is assumed; a click asks what its program does. */
export function AssumedMark({ id, wide, named = false }: Props) {
  const t = useT();
  const assumption = useAssumptions((s) => s.by[id]);
  if (!assumption) return null;
  const words = behaviourWords(t, assumption.does);
  const title = t('assumed.title', { container: assumption.container, does: words });
  return (
    <button
      type="button"
      className="sl-assumed u-clip u-round u-fs-1 u-nowrap u-pointer u-relative u-z-1 u-panel u-time"
      title={title}
      aria-label={title}
      data-testid="assumed"
      onMouseDown={(e) => e.preventDefault()}
      onClick={(e) => {
        e.stopPropagation();
        useAssumptions.setState({ asked: id });
        useUI.setState({ dialog: 'program' });
      }}
    >
      {named && `${assumption.container} `}
      {wide ? t('assumed.badge', { does: words }) : '?'}
    </button>
  );
}
