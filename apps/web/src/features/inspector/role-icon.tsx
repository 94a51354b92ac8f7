import type { Role } from '@syncloop/core/debug/why';
import { useT } from '../../i18n/index.js';
import { hueOf } from './logic/why.js';

/** A drawing for each role, in lines on a field of 16 by 16. */
const PATHS: Readonly<Record<Role, string>> = {
  input: 'M8 7.5a2.5 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM3 14c0-3 2.200-4.500 5-4.500s5 1.500 5 4.500',
  fault: 'M9 1.800 3.800 9H8l-1 5.200L12.200 7H8z',
  fact: 'M8 2 13.500 5v6L8 14 2.500 11V5zM2.500 5 8 8l5.500-3M8 8v6',
  timer: 'M8 14.500a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 5v3.500l2.500 1.500M6.500 1h3',
  start: 'M5 4.200a5.500 5.500 0 1 0 6 0M8 1.800v6',
  config: 'M4 1.800h5l3 3v9.400H4zM9 1.800v3h3M6 8.500h4M6 11h4',
  message: 'M2 3.800h12v8.400H2zM2 4.200l6 4.800 6-4.800',
  decision: 'M8 1.800 14.200 8 8 14.200 1.800 8zM8 5.200v3.300M8 10.600v.2',
  update: 'M8 2v8M4.800 7 8 10.200 11.200 7M2.500 13.500h11',
  work: 'M5 3v10l8-5z',
  call: 'M2 8h11M9 4l4 4-4 4',
  answer: 'M14 8H3M7 4 3 8l4 4',
  probe: 'M1.500 8.500h3L6.500 4l3 8.500 1.800-4h3.200',
  backoff: 'M4 1.800h8M4 14.200h8M4.800 1.800v2.400L11.200 11.800v2.400M11.200 1.800v2.400L4.800 11.800v2.400',
  queue: 'M2.500 4h11M2.500 8h11M2.500 12h7M12 10.500v3M13.500 12h-3',
  cache: 'M3 4c0-2.600 10-2.600 10 0s-10 2.600-10 0zM3 4v8c0 2.600 10 2.600 10 0V4M3 8c0 2.600 10 2.600 10 0',
  pleg: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  status: 'M3.500 14.500v-12M3.500 3h9l-2 3 2 3h-9',
  event: 'M4 11.500V7a4 4 0 0 1 8 0v4.500l1 1H3zM6.800 14.200h2.400',
  function:
    'M6 2.500C4 2.500 4.800 8 2.800 8 4.800 8 4 13.500 6 13.500M10 2.500c2 0 1.200 5.500 3.200 5.500-2 0-1.200 5.500-3.200 5.500',
  wait: 'M5.500 3v10M10.500 3v10',
  gap: 'M2 8h2M7 8h2M12 8h2',
  other: 'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
};

/** Shows the part that a link plays, by colour, drawing and name. */
export function RoleIcon({ role }: { readonly role: Role }) {
  const t = useT();
  const name = t(`role.${role}`);
  return (
    <span className="sl-role u-grid" data-hue={hueOf(role)} title={name}>
      <svg className="sl-stroke" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
        <path d={PATHS[role]} />
      </svg>
      <span className="sl-visually-hidden">{name}: </span>
    </span>
  );
}
