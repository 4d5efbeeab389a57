import { useMemo } from 'react';
import { encode } from 'uqr';

const QUIET = 4;

/** Dark on white in both themes, as cameras expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: QUIET });
    const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: cells.join(''), size };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" rx={2} />
      <path d={path} fill="#000" />
    </svg>
  );
}
