import { containerIter } from '../../api/pod/podutil.js';
import type { Container, Pod, SecurityContext } from '../../api/types.js';

type AppArmorProfile = NonNullable<SecurityContext['appArmorProfile']>;

/**
 * Annotation of old, followed by the container's name.
 * upstream: v1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix
 */
const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhostPrefix = 'localhost/';

/** The container's own profile, its annotation, or the pod's. upstream: pkg/security/apparmor GetProfile */
export function appArmorProfileOf(pod: Pod, container: Container): AppArmorProfile | undefined {
  return (
    container.securityContext?.appArmorProfile ??
    fromAnnotation(pod.metadata.annotations?.[`${annotationPrefix}${container.name}`]) ??
    pod.spec.securityContext?.appArmorProfile
  );
}

/** upstream: getProfileFromPodAnnotations */
function fromAnnotation(value: string | undefined): AppArmorProfile | undefined {
  if (value === 'unconfined') return { type: 'Unconfined' };
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  return value?.startsWith(localhostPrefix)
    ? { type: 'Localhost', localhostProfile: value.slice(localhostPrefix.length) }
    : undefined;
}

/** Returns true if anything of the pod asks to be confined. upstream: pkg/security/apparmor isRequired */
export function appArmorRequired(pod: Pod): boolean {
  const confined = (p: AppArmorProfile | undefined) => p !== undefined && p.type !== 'Unconfined';
  if (confined(pod.spec.securityContext?.appArmorProfile)) return true;
  for (const [c] of containerIter(pod.spec)) if (confined(c.securityContext?.appArmorProfile)) return true;
  const annotation = Object.entries(pod.metadata.annotations ?? {}).find(([key]) => key.startsWith(annotationPrefix));
  return annotation !== undefined && annotation[1] !== 'unconfined';
}
