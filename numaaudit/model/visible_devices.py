VISIBLE = ("CUDA_VISIBLE_DEVICES",)


def visible_gpus(environ, gpus):
    return tuple(gpus)
