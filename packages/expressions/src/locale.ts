export interface LocaleOptions { locale: string; timeZone: string; currency?: string }
export type Locale = LocaleOptions;
export function localeOf(options: LocaleOptions): Locale { return options; }
