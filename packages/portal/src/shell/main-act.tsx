import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentPropsWithoutRef, useEffect, useRef } from 'react';

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/**
 * What a dialog without fields is for: it has the focus, so that Enter does it, also where it came after the dialog had
 * opened. In red, which is for what destroys something, it has not.
 */
export function MainAct(props: Props) {
  const isSafe = props.color !== 'red';
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it comes, and never under the hands of somebody
  useEffect(() => {
    const at = document.activeElement;
    // The dialog gave the focus to the first that was there, or what had it made way for this.
    const isFree = at === document.body || at?.closest('[role=dialog]')?.contains(button.current);
    if (isSafe && isFree) button.current?.focus();
  }, []);
  return <Button ref={button} {...(isSafe && { 'data-autofocus': true })} {...props} />;
}
