export class Resources { arePending = false; constructor(_images: Buffer) {} async load(): Promise<void> {} }
