import type { Draft } from '../draft.ts';
import type { Story } from '../template/story.ts';

/** Where something is drawn. */
export interface DrawingPlace {
  story: Story;
  draft: Draft;
  /** What is read aloud instead. */
  description: string | undefined;
}
