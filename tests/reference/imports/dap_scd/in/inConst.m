function inConst
    include_global
nConst = 3;
