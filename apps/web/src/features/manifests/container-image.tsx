import { type ImageQuestion, imageQuestions, portsOf } from '@syncloop/core/scenario/workload';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { session } from '../../session/session.js';
import { ImageQuestions } from './image-questions.js';
import './manifests.css';
import { tellImages, useNodeKnows } from './node-images.js';

/** Shows what the image of a container does if the simulation has no programs for it. It can be changed here. */
export default function ContainerImage({ id }: { readonly id: string }) {
  const t = useT();
  const where = useTrace((s) => {
    const c = s.containers[id];
    return c ? { uid: c.uid, name: c.name } : null;
  });
  const container = useContainer(where?.uid ?? '', where?.name ?? '');
  const knows = useNodeKnows(id);
  if (!container || !knows) return null;
  const { pod, value } = container;
  const all = imageQuestions([{ name: pod.name, pod: pod.value }], knows);
  const questions = all.filter((q) => q.containers.includes(`${pod.name}/${where?.name}`));
  const [question] = questions;
  if (!question) return null;
  return (
    <div className="sl-pad">
      <ImageQuestions
        questions={questions}
        ports={{ [question.full]: portsOf(value) }}
        onAnswer={(asked: ImageQuestion, answer) =>
          void tellImages([asked], [answer]).then(
            () => notify(t('images.told', { image: asked.ref })),
            (e: unknown) => notify(e instanceof Error ? e.message : String(e)),
          )
        }
      />
    </div>
  );
}

type Loose = Readonly<Record<string, unknown>>;
interface Found {
  readonly pod: { readonly name: string; readonly value: Loose };
  readonly value: Loose;
}

/** A container's own part of its pod's spec, as in the session. */
function useContainer(uid: string, name: string): Found | null {
  const run = useSession((s) => s.info?.id ?? '');
  const [found, setFound] = useState<{ readonly key: string; readonly found: Found | null }>({ key: '', found: null });
  const key = `${run} ${uid} ${name}`;
  useEffect(() => {
    if (uid === '' || !(useSession.getState().info?.capabilities.intervene ?? false)) return;
    let gone = false;
    const look = async () => {
      const objects = await session.command({ do: 'objects' });
      const pod = objects?.pods.find((p) => p.metadata.uid === uid);
      const own = [...(pod?.spec.initContainers ?? []), ...(pod?.spec.containers ?? [])].find((c) => c.name === name);
      if (gone) return;
      const value = own as unknown as Loose | undefined;
      setFound({
        key,
        found: pod && value ? { pod: { name: pod.metadata.name, value: pod as unknown as Loose }, value } : null,
      });
    };
    look().catch(() => {});
    return () => {
      gone = true;
    };
  }, [key, uid, name]);
  return found.key === key ? found.found : null;
}
