import { Component, type ErrorInfo, type ReactNode } from 'react';
import { type MessageKey, t } from '../i18n/index.js';
import { forgetTab } from '../page/storage.js';
import { useSession } from '../run/session-store.js';

interface Props {
  /** The part of the page that it replaces. */
  readonly where: MessageKey;
  readonly children: ReactNode;
  /** Around the whole page: there is nothing else in sight. */
  readonly whole?: boolean;
  /** Column of the page that it is in, if it has one of its own. */
  readonly area?: 'left' | 'inspector';
  /** A change of this key mounts the children again. */
  readonly of?: string;
}
interface State {
  readonly error: Error | null;
  readonly stack: string;
  readonly copied: boolean;
}

/** Describes a crash for a report: what, where in the page, where in the run, in which browser. */
export function crashDetails(error: Error, stack: string, agent: string): string {
  const { info, run, kind } = useSession.getState();
  return [
    `${error.name}: ${error.message}`,
    `in:${stack || ' ?'}`,
    `session: ${kind}, ${info ? `${info.title}, scenario ${info.scenario}, seed ${info.seed}` : 'none'}`,
    `at: record ${run.seq}, decision ${run.steps}, ${run.time} µs`,
    `browser: ${agent}`,
    error.stack ?? '',
  ].join('\n');
}

/** Shows the crash and ways to go on, instead of an empty page. The rest of the page goes on. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, stack: '', copied: false };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
  override componentDidCatch(_: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ stack: (componentStack ?? '').split('\n').slice(0, 8).join('\n') });
  }
  override componentDidUpdate(before: Props): void {
    if (this.state.error && before.of !== this.props.of) this.retry();
  }
  private readonly retry = () => this.setState({ error: null, stack: '', copied: false });

  override render(): ReactNode {
    const { error, stack, copied } = this.state;
    if (!error) return this.props.children;
    const details = crashDetails(error, stack, navigator.userAgent);
    return (
      <div
        className="sl-crash"
        role="alert"
        data-whole={this.props.whole || undefined}
        data-area={this.props.area}
        data-testid="crash"
      >
        <h2>{t('crash.title', { where: t(this.props.where) })}</h2>
        <p className="sl-code sl-bad">{error.message}</p>
        <p>{t('crash.what')}</p>
        <div className="sl-group">
          <button type="button" className="sl-button sl-primary" onClick={this.retry}>
            {t('crash.retry')}
          </button>
          <button type="button" className="sl-button" onClick={() => location.reload()}>
            {t('crash.reload')}
          </button>
          <button
            type="button"
            className="sl-button"
            onClick={() => {
              forgetTab();
              // The address loses the link's moment, which may be the cause.
              history.replaceState(null, '', location.pathname + location.search);
              location.reload();
            }}
          >
            {t('crash.anew')}
          </button>
          <button
            type="button"
            className="sl-button"
            onClick={() => {
              void navigator.clipboard?.writeText(details).then(() => this.setState({ copied: true }));
            }}
          >
            {t(copied ? 'crash.copied' : 'crash.copy')}
          </button>
        </div>
        <details>
          <summary>{t('crash.details')}</summary>
          <pre className="sl-code">{details}</pre>
        </details>
      </div>
    );
  }
}
