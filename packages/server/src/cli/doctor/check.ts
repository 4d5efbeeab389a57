/** One line of the doctor's list. A failed check always has a suggested fix; an ok one with a fix is a warning. */
export type Check = { check: string; ok: boolean; detail: string; remedy: string | null };

export function passed(check: string, detail: string): Check {
  return { check, ok: true, detail, remedy: null };
}

export function warned(check: string, detail: string, remedy: string): Check {
  return { check, ok: true, detail, remedy };
}

export function failed(check: string, detail: string, remedy: string): Check {
  return { check, ok: false, detail, remedy };
}

/** The doctor finishes soon even if what it checks does not respond. */
export async function withinLimit<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no response within ${milliseconds / 1000} s`)), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
