/** The spots of a die's faces, for one to six. */
const SPOTS: readonly string[] = [
  '',
  '8,8',
  '4,4 12,12',
  '4,4 8,8 12,12',
  '4,4 12,4 4,12 12,12',
  '4,4 12,4 8,8 4,12 12,12',
  '4,4 12,4 4,8 12,8 4,12 12,12',
];

/** A die that shows how many cases were ready. */
export function Die({ n }: { readonly n: number }) {
  return (
    <svg className="sl-die u-flex-none" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect x="0.5" y="0.5" width="15" height="15" rx="3" />
      {(SPOTS[Math.min(n, 6)] ?? '').split(' ').map((spot) => {
        const [x, y] = spot.split(',');
        return <circle key={spot} cx={x} cy={y} r="1.5" />;
      })}
    </svg>
  );
}
