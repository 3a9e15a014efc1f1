import { z } from 'zod';
export const UNMATCHED_NAMED_MAX = 100;
export interface Generation {
  locale?: string;
  timeZone: string;
  currency?: string;
  delimiters?: readonly [string, string];
  onMissing: 'empty' | 'error' | 'keep';
  syntax: 'auto' | 'curly';
}
export interface GenerateReport {
  filled: number;
  unmatched: { count: number; names: string[] };
  signaturesRemoved: boolean;
  macrosRemoved: boolean;
  linksRemoved: boolean;
  partsRemoved: boolean;
  runMs: number;
}
void z;
