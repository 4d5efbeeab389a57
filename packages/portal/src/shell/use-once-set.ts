import { useEffect, useState } from 'react';

/** Stays true once it was: a dialog that closes is still shown during its animation. */
export function useOnceSet(isSet: boolean): boolean {
  const [wasSet, setWasSet] = useState(isSet);
  useEffect(() => setWasSet((before) => before || isSet), [isSet]);
  return wasSet || isSet;
}
