import { baseStyles } from './base-styles.ts';
import { dockStyles } from './dock-styles.ts';
import { themes } from './themes.ts';

/** The styles of the frame, present while the panel is closed. */
export const frameStyles: string = [baseStyles, themes, dockStyles].join('\n');
