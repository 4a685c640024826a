import { showChat } from './show-chat.tsx';

showChat(new URLSearchParams(window.location.search));
