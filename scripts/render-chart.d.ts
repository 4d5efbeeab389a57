export function renderTemplate(template: string, values: Record<string, unknown>): string;
