import { formatBytes } from '@syncloop/core/base';
import type { ImageBehaviour } from '@syncloop/core/scenario';
import { type ImageAnswerOf, type ImageQuestion, reasonText } from '@syncloop/core/scenario/workload';
import { useId, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import {
  afterIn,
  behaviourFor,
  CHOICES,
  type Choice,
  choiceOf,
  codeIn,
  memoryIn,
  portsIn,
  secondsOf,
  statusIn,
} from './logic/behaviours.js';

interface Props {
  readonly questions: readonly ImageQuestion[];
  /** Ports of the manifest by the image's full name: they are offered for an image that serves. */
  readonly ports: Readonly<Record<string, readonly number[]>>;
  readonly onAnswer: (question: ImageQuestion, answer: ImageAnswerOf) => void;
}

/**
 * Shows what images do if the simulation has no programs for them. It is taken from the manifest and can be changed
 * here.
 */
export function ImageQuestions({ questions, ports, onAnswer }: Props) {
  const t = useT();
  if (questions.length === 0) return null;
  return (
    <section className="sl-images" aria-label={t('images.title')} data-testid="images">
      <p className="sl-strong">{t('images.title')}</p>
      <p className="sl-small">{t('images.about')}</p>
      <ul>
        {questions.map((question) => (
          <li key={question.full}>
            <Question question={question} ports={ports[question.full] ?? []} onAnswer={onAnswer} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Question({
  question,
  ports,
  onAnswer,
}: {
  readonly question: ImageQuestion;
  readonly ports: readonly number[];
  readonly onAnswer: Props['onAnswer'];
}) {
  const t = useT();
  const lang = useUI((s) => s.lang) === 'en' ? 'en' : 'zh';
  const { ref, does, doesIn } = question;
  const answer = (next: ImageBehaviour | null, container?: string) =>
    onAnswer(
      question,
      container === undefined
        ? { ref, does: next, ...(doesIn && next && { doesIn }) }
        : { ref, does, doesIn: { ...doesIn, [container]: next ?? { kind: 'runs' } } },
    );
  // If the image is known, only the containers that have an answer of their own are asked for.
  const own = does === null || does.kind !== 'command' || !doesIn;
  return (
    <div className="sl-image" data-testid="image">
      <p>
        <span className="sl-code u-break">{ref}</span> <span className="sl-small">{reasonText(question, lang)}</span>
      </p>
      {own && <BehaviourField label={t('images.does', { image: ref })} value={does} ports={ports} onChange={answer} />}
      {Object.entries(does === null ? {} : (doesIn ?? {})).map(([container, behaviour]) => (
        <div key={container} className="sl-image-in">
          <span className="sl-small">{t('images.in', { container })}</span>
          <BehaviourField
            label={t('images.doesIn', { image: ref, container })}
            value={behaviour}
            ports={ports}
            within
            onChange={(next) => answer(next, container)}
          />
        </div>
      ))}
    </div>
  );
}

/** Edits a behaviour and its numbers. Typed text that is not a valid number changes nothing. */
export function BehaviourField({
  label,
  value,
  ports,
  within = false,
  onChange,
}: {
  readonly label: string;
  readonly value: ImageBehaviour | null;
  readonly ports: readonly number[];
  /** True if the behaviour is that of one container only; the image exists in that case. */
  readonly within?: boolean;
  readonly onChange: (next: ImageBehaviour | null) => void;
}) {
  const t = useT();
  const choice = choiceOf(value);
  return (
    <div className="sl-behaviour u-row u-wrap">
      <select
        className="sl-input"
        aria-label={label}
        value={choice}
        data-testid="image-does"
        onChange={(e) => onChange(behaviourFor(e.currentTarget.value as Choice, ports))}
      >
        {CHOICES.filter((c) => !(within && c === 'missing')).map((c) => (
          <option key={c} value={c}>
            {t(`images.choice.${c}`)}
          </option>
        ))}
      </select>
      {value?.kind === 'serves' && (
        <>
          <Field
            label={t('images.ports')}
            text={value.ports.join(', ')}
            read={portsIn}
            onRead={(list) => onChange({ ...value, ports: list })}
            testId="image-ports"
          />
          <Field
            label={t('images.status')}
            text={String(value.status ?? 200)}
            read={statusIn}
            onRead={(status) => onChange({ ...value, status })}
            testId="image-status"
          />
        </>
      )}
      {value?.kind === 'needs' && (
        <Field
          label={t('images.memory')}
          text={formatBytes(value.memory)}
          read={memoryIn}
          onRead={(memory) => onChange({ ...value, memory })}
          testId="image-memory"
        />
      )}
      {value?.kind === 'exits' && (
        <>
          <Field
            label={t('images.after')}
            text={secondsOf(value.after)}
            read={afterIn}
            onRead={(after) => onChange({ ...value, after })}
            testId="image-after"
          />
          {value.code !== 0 && (
            <Field
              label={t('images.code')}
              text={String(value.code)}
              read={codeIn}
              onRead={(code) => onChange({ ...value, code })}
              testId="image-code"
            />
          )}
        </>
      )}
    </div>
  );
}

function Field<T>({
  label,
  text,
  read,
  onRead,
  testId,
}: {
  readonly label: string;
  readonly text: string;
  readonly read: (text: string) => T | null;
  readonly onRead: (value: T) => void;
  readonly testId: string;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? text;
  const done = () => {
    const value = read(shown);
    if (typed !== null && typed !== text && value !== null) onRead(value);
    setTyped(null);
  };
  return (
    <span className="sl-behaviour-field u-inline-flex u-center u-gap-4">
      <label htmlFor={id} className="sl-small">
        {label}
      </label>
      <input
        id={id}
        className="sl-input sl-code"
        value={shown}
        aria-invalid={read(shown) === null}
        data-testid={testId}
        onChange={(e) => setTyped(e.currentTarget.value)}
        onBlur={done}
        onKeyDown={(e) => {
          if (e.key !== 'Enter') return;
          e.preventDefault();
          done();
        }}
      />
    </span>
  );
}
