document.documentElement.dataset.order = (document.documentElement.dataset.order ?? "") + "b";
document.querySelector("#navbar").dataset.seen = document.documentElement.dataset.currentPath;
