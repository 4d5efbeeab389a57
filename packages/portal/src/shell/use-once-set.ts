import { useEffect, useState } from 'react';

/** Stays set once it was, because a dialog closes with an animation. */
export function useOnceSet(isSet: boolean): boolean {
  const [wasSet, setWasSet] = useState(isSet);
  useEffect(() => setWasSet((before) => before || isSet), [isSet]);
  return wasSet || isSet;
}
