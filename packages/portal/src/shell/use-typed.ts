import { type RefObject, useEffect, useState } from 'react';

/** The text in a field whose value is in the URL: as typed, and as in the URL when that changes from elsewhere. */
export function useTyped(value: string, field: RefObject<HTMLInputElement | null>) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(value);
  }, [value, field]);
  return [typed, setTyped] as const;
}
