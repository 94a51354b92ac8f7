/** The few icons there are: 16 px, one stroke, in the colour of the text. They are never the only name of a thing. */
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
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg className="sl-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="currentColor" />
    </svg>
  );
}
