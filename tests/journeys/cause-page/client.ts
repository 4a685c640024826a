import { showForgetful } from './show-forgetful.tsx';

showForgetful();
