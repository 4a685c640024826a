export { Streamdown } from 'streamdown';
