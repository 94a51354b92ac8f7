/** All icons: 16 px, filled shapes or strokes in the colour of the text. They are never the only name of anything. */
const PATHS = {
  run: 'M5 3.2v9.6l8-4.8z',
  pause: 'M5 3h2.2v10H5zM8.8 3H11v10H8.8z',
  step: 'M3 3.2v9.6l6.4-4.8zM10.6 3H13v10h-2.4z',
  iteration: 'M2 3.2v9.6L7.6 8zM7.6 3.2v9.6L13.2 8zM13 3h1.6v10H13z',
  restart:
    'M8 2.6a5.4 5.4 0 1 0 5.4 5.4h-1.6A3.8 3.8 0 1 1 8 4.2c1 0 1.9.4 2.6 1L8.8 7h4.6V2.4l-1.7 1.7A5.4 5.4 0 0 0 8 2.6z',
  close: 'M4.1 3 3 4.1 6.9 8 3 11.9 4.1 13 8 9.1l3.9 3.9 1.1-1.1L9.1 8 13 4.1 11.9 3 8 6.9z',
  plus: 'M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z',
  minus: 'M3 7.2h10v1.6H3z',
  fit: 'M2.5 2.5h4v1.5H4v2.5H2.5zM9.5 2.5h4v4H12V4H9.5zM2.5 9.5H4V12h2.5v1.5h-4zM12 9.5h1.5v4h-4V12H12z',
  list: 'M2.5 3.5h11V5h-11zM2.5 7.250h11v1.5h-11zM2.5 11h11v1.5h-11z',
  link: 'M8.600 3.200a3.300 3.300 0 0 1 4.700 4.600l-2 2-1.100-1.100 2-2a1.700 1.700 0 0 0-2.500-2.400l-2 2-1.100-1.100zM7.400 12.800a3.300 3.300 0 0 1-4.700-4.600l2-2 1.100 1.100-2 2a1.700 1.700 0 0 0 2.500 2.400l2-2 1.100 1.100zM5.600 9.300l3.700-3.700 1.100 1.100-3.700 3.700z',
  search:
    'M7 2a5 5 0 1 0 3 9l3 3 1.100-1.100-3-3A5 5 0 0 0 7 2zm0 1.600a3.400 3.400 0 1 1 0 6.800 3.400 3.400 0 0 1 0-6.800z',
  end: 'M3 3.2v9.6l7-4.800zM11 3h2.200v10H11z',
  more: 'M3.400 6.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800zM8 6.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800zM12.600 6.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800z',
  down: 'M3.500 6.200 4.600 5.100 8 8.500l3.400-3.400 1.100 1.100L8 10.700z',
  check: 'M6.300 12.300 2.400 8.400l1.100-1.100 2.800 2.800 6.200-6.200 1.100 1.100z',
} as const;

/** Drawn with a line of 1.4 px. */
const STROKES = {
  lessons:
    'M1.500 6 8 3l6.500 3L8 9zM4.200 7.400v3.400c1 1 2.300 1.500 3.800 1.500s2.800-.5 3.800-1.500V7.400M14.500 6v4',
  scenarios: 'M2.500 3.500h11v9h-11zM2.500 6.200h11M5.200 3.500 4 6.200M8.700 3.500 7.500 6.200M12.200 3.500 11 6.200',
  manifests: 'M4 2h5.500L12.500 5v9H4zM9.300 2v3.200h3.200M6.200 8h4.200M6.200 10.800h4.200',
  pods: 'M8 1.800 13.500 5v6L8 14.200 2.500 11V5zM2.500 5 8 8.100 13.500 5M8 8.100v6.100',
  recordings: 'M8 2.200a5.800 5.800 0 1 1 0 11.600A5.800 5.800 0 0 1 8 2.200zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  findings: 'M8 2.200 14 13.500H2zM8 6.200v3.600M8 11.500v.6',
  observed:
    'M1.500 8C4 3.500 12 3.500 14.500 8 12 12.500 4 12.500 1.500 8zM8 5.800a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400z',
  twin: 'M5.5 3.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 3.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z',
  notes: 'M3 2.500h10v7.500l-3.500 3.500H3zM13 10H9.500v3.500M5.500 5.500h5M5.500 8h3.500',
  faults: 'M9 1.800 3.500 9H8l-1 5.200L12.500 7H8z',
  open: 'M1.800 12.800V3.200h4.200l1.600 1.900h6.600v7.700zM8 11V7.200M6.200 8.700 8 7l1.800 1.700',
  share: 'M8 10V2.300M5.200 4.900 8 2.100l2.800 2.800M4.500 7H3v6.800h10V7h-1.500',
  view: 'M2 4.500h6M11.500 4.500H14M2 11.500h2.500M8 11.500h6M9.700 2.800a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400zM6.300 9.800a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z',
  wide: 'M1.500 8h13M4.300 5 1.500 8l2.800 3M11.700 5l2.800 3-2.800 3',
  pages: 'M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z',
  undo: 'M6 3 2.800 6.200 6 9.400M3 6.200h6.200a3.600 3.600 0 0 1 0 7.200H6',
} as const;

export type IconName = keyof typeof PATHS | keyof typeof STROKES;

export function Icon({ name }: { readonly name: IconName }) {
  const stroke = name in STROKES;
  const d = stroke ? STROKES[name as keyof typeof STROKES] : PATHS[name as keyof typeof PATHS];
  return (
    <svg className="sl-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      {stroke ? (
        <path d={d} fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" strokeLinecap="round" />
      ) : (
        <path d={d} fill="currentColor" />
      )}
    </svg>
  );
}
